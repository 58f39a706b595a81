"""Controls a headless Firefox by its own protocol, Marionette: the tests need only a few commands, and the source of
this Firefox offers no WebDriver program."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

PATIENCE = 600  # seconds: the safety net of a wait, far more than any step needs
PREFERENCES = {"marionette.port": 0, "app.update.auto": False, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
               "toolkit.telemetry.reportingpolicy.firstRun": False, "browser.startup.homepage_override.mstone": "ignore", "network.captive-portal-service.enabled": False,
               "network.connectivity-service.enabled": False, "intl.accept_languages": "en",
               # One process for all pages
               "fission.autostart": False, "dom.ipc.processCount": 1, "dom.ipc.processPrelaunch.enabled": False}


class Firefox:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="wari-firefox-")
        with open(os.path.join(self.profile, "user.js"), "w") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        environment = dict(os.environ, MOZ_HEADLESS="1", HOME=self.profile)
        self.process = subprocess.Popen(["firefox", "--headless", "--marionette", "--no-remote", "--profile", self.profile], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.connection = socket.create_connection(("127.0.0.1", self.port()), timeout=PATIENCE)
        self.count, self.bytes = 0, b""
        self.receive()
        self.command("WebDriver:NewSession", {})

    def port(self):
        """Reads the port, which Firefox writes into a file of the profile."""
        path = os.path.join(self.profile, "MarionetteActivePort")
        end = time.monotonic() + PATIENCE
        while not (os.path.exists(path) and os.path.getsize(path)):
            if self.process.poll() is not None:
                raise SystemExit(f"Firefox ended with status {self.process.returncode}")
            if time.monotonic() > end:
                raise SystemExit("timed out: Firefox does not start")
            time.sleep(0.1)
        with open(path, encoding="utf-8") as file:
            return int(file.read())

    def receive(self):
        """Reads a message: its length, a colon, and JSON."""
        while b":" not in self.bytes:
            self.bytes += self.connection.recv(65536)
        length, rest = self.bytes.split(b":", 1)
        while len(rest) < int(length):
            rest += self.connection.recv(65536)
        self.bytes = rest[int(length):]
        return json.loads(rest[:int(length)])

    def command(self, name, arguments):
        self.count += 1
        text = json.dumps([0, self.count, name, arguments]).encode()
        self.connection.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.receive()
        if error:
            raise AssertionError(error["message"])
        return result

    def get(self, url):
        self.command("WebDriver:Navigate", {"url": url})

    def execute_script(self, script, *arguments):
        return self.command("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})["value"]

    def quit(self):
        self.command("Marionette:Quit", {"flags": ["eForceQuit"]})
        self.process.wait(timeout=PATIENCE)
        shutil.rmtree(self.profile, ignore_errors=True)
