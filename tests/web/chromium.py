"""Starts Chromium without a window, driven by Selenium, for test_page.py, test_site.py and test_package.py."""

import os

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PATIENCE = 600  # time-out of every wait in seconds, far more than any step needs


def start():
    options = webdriver.ChromeOptions()
    options.add_argument("--headless=new")
    with open(os.path.join(os.path.dirname(__file__), "chromium.flags"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("--"):
                options.add_argument(line.strip())
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    browser.set_page_load_timeout(PATIENCE)
    browser.set_script_timeout(PATIENCE)
    return browser
