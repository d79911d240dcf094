import type { Engine } from '../../engine/engine';
import type { Files } from '../../engine/protocol';

export interface Outcome {
    bytes: Uint8Array;
    report: Record<string, unknown>;
}

/** Characters that the lesson makes for itself with the command in the worker, each once. */
export class Bodies {
    private readonly made = new Map<string, Promise<Uint8Array>>();

    constructor(private readonly engine: Engine) {}

    /** Runs a command; gives the file that it wrote. */
    private async write(args: string[], files: Files, out: string): Promise<{ bytes: Uint8Array; report: string }> {
        const result = await this.engine.run([...args, '-o', out], new Map([...files].map(([name, bytes]) => [name, bytes.slice()])));
        const bytes = result.files.get(out);
        if (result.code !== 0 || !bytes) throw new Error(result.messages.trim() || `exit code ${result.code}`);
        return { bytes, report: new TextDecoder().decode(result.output) };
    }

    private once(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
        const known = this.made.get(key);
        if (known) return known;
        const fresh = make();
        this.made.set(key, fresh);
        fresh.catch(() => this.made.delete(key));
        return fresh;
    }

    /** A person in a T-pose, with its true skeleton and weights. */
    person(seed = 7): Promise<Uint8Array> {
        return this.once(`person ${seed}`, async () => (await this.write(
            ['sample', 'humanoid', '--seed', `${seed}`, '--whole', '--bare', '--pose', 't', '--triangles', '5000', '--rigged'], new Map(), 'person.glb')).bytes);
    }

    /** The skin of that person alone. */
    mesh(): Promise<Uint8Array> {
        return this.once('mesh', async () => (await this.write(
            ['sample', 'humanoid', '--seed', '7', '--whole', '--bare', '--pose', 't', '--triangles', '5000'], new Map(), 'mesh.glb')).bytes);
    }

    /** The same with motions. */
    mover(...motions: string[]): Promise<Uint8Array> {
        return this.once(`mover ${motions.join(' ')}`, async () => (await this.write(
            ['animate', 'person.glb', ...motions], new Map([['person.glb', await this.person()]]), 'mover.glb')).bytes);
    }

    /** Runs any command on the files; what it wrote and its report as JSON. */
    async command(args: string[], files: Files, out: string): Promise<Outcome> {
        const { bytes, report } = await this.write([...args, '--json'], files, out);
        return { bytes, report: JSON.parse(report) as Record<string, unknown> };
    }

    private readonly rigs = new Map<string, Promise<Outcome>>();

    /** That mesh, rigged with these options; the same again is not done again. */
    rig(options: string[] = []): Promise<Outcome> {
        const key = options.join(' ');
        const known = this.rigs.get(key) ?? this.mesh().then((mesh) => this.command(['rig', 'mesh.glb', ...options], new Map([['mesh.glb', mesh]]), 'rigged.glb'));
        this.rigs.set(key, known);
        known.catch(() => this.rigs.delete(key));
        return known;
    }
}
