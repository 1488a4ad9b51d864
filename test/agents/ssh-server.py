"""An SSH server on loopback that lets git read and write: `ssh-server.py HOST_KEY AUTHORIZED_KEYS` prints its port."""

import asyncio
import sys

import asyncssh


async def git(process):
    """Runs what the client asks for, through the shell, as sshd does."""
    child = await asyncio.create_subprocess_shell(
        process.command or "false", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    await process.redirect(stdin=child.stdin, stdout=child.stdout)
    process.exit(await child.wait())


async def main(host_key, authorized_keys):
    server = await asyncssh.listen(
        "127.0.0.1",
        0,
        server_host_keys=[host_key],
        authorized_client_keys=authorized_keys,
        process_factory=git,
        encoding=None,
    )
    print(server.get_port(), flush=True)
    await server.wait_closed()


asyncio.run(main(*sys.argv[1:]))
