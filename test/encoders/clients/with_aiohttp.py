import asyncio
import os
import sys

import aiohttp


def named(parts, quote_fields):
    form = aiohttp.FormData(quote_fields=quote_fields)
    for name, path, content_type in parts:
        form.add_field(name, open(path, "rb"), filename=os.path.basename(path), content_type=content_type)
    return form


def bare(parts):
    # FormData makes up a file name for bytes; its writer does not.
    form = aiohttp.MultipartWriter("form-data")
    for name, path, content_type in parts:
        part = form.append(open(path, "rb").read(), {"Content-Type": content_type})
        part.set_content_disposition("form-data", name=name)
    return form


async def send(url, key, envelope, screenshot, log, variant):
    parts = [
        ("envelope", envelope, "application/json"),
        ("screenshot", screenshot, "image/png"),
        ("log", log, "text/plain"),
    ]
    form = bare(parts) if variant == "bare" else named(parts, quote_fields=variant != "unquoted")
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}"}) as session:
        async with session.post(url, data=form) as answer:
            print(await answer.text(), answer.status, sep="\n", end="\0", flush=True)


# A line for each report.
for line in sys.stdin:
    asyncio.run(send(*line.rstrip("\n").split("\t")))
