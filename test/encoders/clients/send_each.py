import os
import sys


def part(path, content_type, variant):
    if variant == "named":
        return os.path.basename(path), open(path, "rb"), content_type
    return None, open(path, "rb").read(), content_type


def send_each(post):
    """Sends a report for each line of the input; requests and httpx are called alike."""
    for line in sys.stdin:
        url, key, envelope, screenshot, log, variant = line.rstrip("\n").split("\t")
        files = {
            "envelope": part(envelope, "application/json", variant),
            "screenshot": part(screenshot, "image/png", variant),
            "log": part(log, "text/plain", variant),
        }
        answer = post(url, headers={"Authorization": f"Bearer {key}"}, files=files, timeout=20)
        print(answer.text, answer.status_code, sep="\n", end="\0", flush=True)
