// `limber studio` for scripts: the page in a folder, served until it is stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts the command on any free port. `address` is the page's; `file` is open in it. */
export async function served(limber, folder, file) {
    const command = spawn(limber, ['studio', ...(file ? [file] : []), '--page', folder, '--port', '0', '--no-open', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
    // A script that fails leaves no server behind.
    process.on('exit', () => command.kill());
    let told = '';
    for await (const part of command.stdout) {
        told += part;
        if (told.trimEnd().endsWith('}')) break;
    }
    if (!told) throw new Error(`${limber} studio does not serve ${folder}`);
    const ended = once(command, 'exit');
    const stop = async () => {
        command.kill('SIGINT');
        return (await ended)[0];
    };
    return { address: JSON.parse(told).address, stop };
}
