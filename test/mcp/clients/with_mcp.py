"""Calls create_ticket with each of the arguments that stand on stdin; prints what the client gives or raises."""

import asyncio
import json
import os
import sys

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

url, token, binary = (os.environ[name] for name in ("INTAKE_URL", "INTAKE_TOKEN", "INTAKE_BINARY"))


def transport():
    if sys.argv[1] == "stdio":
        env = {"INTAKE_URL": url, "INTAKE_TOKEN": token}
        return stdio_client(StdioServerParameters(command=binary, args=["mcp"], env=env))
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False)
    return streamable_http_client(f"{url}/mcp", http_client=client)


async def call(session, arguments):
    try:
        result = await session.call_tool("create_ticket", arguments)
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)
    except Exception as error:
        return {"thrown": str(error)}


async def main():
    calls = json.load(sys.stdin)
    async with transport() as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        await session.list_tools()
        print(json.dumps([await call(session, arguments) for arguments in calls]))


asyncio.run(main())
