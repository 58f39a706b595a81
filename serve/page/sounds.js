// The sounds of seeds, made by the browser itself. They are off unless the reader turns them on.

import { readSounds, writeSounds } from "./storage.js";

/** Pitch in hertz, duration in seconds, and loudness of each sound. */
const sounds = { sow: [190, 0.07, 0.25], take: [420, 0.12, 0.2] };

let on = readSounds(), audio = null;

export const soundsAreOn = () => on;

export function setSounds(yes) {
  on = yes;
  writeSounds(yes);
  if (yes) play("sow");
}

/** Plays a sound, if sounds are on: a tone that falls in pitch and fades, like a seed on wood. */
export function play(name) {
  if (!on || !window.AudioContext) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume(); // browsers wait for the reader's first click
  const [pitch, seconds, loudness] = sounds[name], now = audio.currentTime;
  const tone = audio.createOscillator(), volume = audio.createGain();
  tone.type = "triangle";
  tone.frequency.setValueAtTime(pitch * (1.7 + 0.2 * Math.random()), now);
  tone.frequency.exponentialRampToValueAtTime(pitch, now + seconds / 2);
  volume.gain.setValueAtTime(loudness, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + seconds);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + seconds);
}
