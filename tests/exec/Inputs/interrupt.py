"""Runs a command and presses Ctrl-C once it has said a word: interrupt.py WORD COMMAND..."""
import signal
import subprocess
import sys

# Shells let what runs in the background ignore Ctrl-C, and so would the command.
signal.signal(signal.SIGINT, signal.SIG_DFL)
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
text, pressed = "", False
for line in process.stdout:
    text += line
    if sys.argv[1] in text and not pressed:
        pressed = True
        process.send_signal(signal.SIGINT)
print(text, end="")
sys.exit(process.wait())
