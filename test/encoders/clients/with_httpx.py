import os
import sys

import httpx

url, key, envelope, screenshot, log, variant = sys.argv[1:]


def part(path, content_type):
    if variant == "named":
        return os.path.basename(path), open(path, "rb"), content_type
    return None, open(path, "rb").read(), content_type


files = {
    "envelope": part(envelope, "application/json"),
    "screenshot": part(screenshot, "image/png"),
    "log": part(log, "text/plain"),
}
answer = httpx.post(url, headers={"Authorization": f"Bearer {key}"}, files=files, timeout=20)
print(answer.text, answer.status_code, sep="\n")
