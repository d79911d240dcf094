import { Instance } from '../../engine/instance';
import { LimberModule, type LiveExports } from '../../engine/module';

type Argument = number | Float32Array | Float64Array | Int32Array;

/** As lmb_ik_solver. */
export const solvers = { ccd: 1, fabrik: 2, transpose: 3, pseudoInverse: 4, damped: 5 };
/** As lmb_skin_method. */
export const methods = { linear: 0, rigid: 1, centers: 2, deltaMush: 4, dual: 5, dualFixed: 10 };
/** As LIMBER_CURVE_…. */
export const curves = { linear: 0, step: 1, cubic: 2, catmull: 3 };

/** The library in the page's own thread: small questions, answered at once. studio/live_lesson.h says what each does. */
export class Limber extends LimberModule {
    private readonly calls = this.wasm as LiveExports;

    static async load(): Promise<Limber> {
        const answer = await fetch(new URL('limber.wasm', document.baseURI));
        if (!answer.ok) throw new Error(`limber.wasm: ${answer.status} ${answer.statusText}`);
        return new Limber(new Instance(await WebAssembly.compile(await answer.arrayBuffer())));
    }

    /** Arrays are copied in, and what the call wrote into them is copied back. */
    call(name: `limber_${string}`, ...args: Argument[]): number {
        const blocks = args.map((one) => {
            if (typeof one === 'number') return 0;
            const block = this.block(one.byteLength || 1);
            new Uint8Array(this.wasm.memory.buffer, block, one.byteLength).set(bytesOf(one));
            return block;
        });
        try {
            const result = this.calls[name]!(...args.map((one, k) => (typeof one === 'number' ? one : blocks[k]!)));
            args.forEach((one, k) => {
                if (typeof one !== 'number') bytesOf(one).set(new Uint8Array(this.wasm.memory.buffer, blocks[k]!, one.byteLength));
            });
            return result;
        } finally {
            for (const block of blocks) if (block) this.wasm.limber_free(block);
        }
    }

    /** A call that gives 0 or less than 0 when it fails. */
    need(name: `limber_${string}`, ...args: Argument[]): number {
        const result = this.call(name, ...args);
        if (result === 0) this.complain();
        return result;
    }

    complain(): never {
        throw new Error(this.read(this.calls.limber_error!()));
    }

    withText<T>(text: string, use: (at: number) => T): T {
        const at = this.text(text);
        try {
            return use(at);
        } finally {
            this.wasm.limber_free(at);
        }
    }

    textOf(at: number): string {
        return at ? this.read(at) : '';
    }

    floats(at: number, count: number): Float32Array {
        if (!at) this.complain();
        return new Float32Array(this.wasm.memory.buffer, at, count).slice();
    }

    integers(at: number, count: number): Uint32Array {
        if (!at) this.complain();
        return new Uint32Array(this.wasm.memory.buffer, at, count).slice();
    }

    file(name: string, bytes: Uint8Array): void {
        this.put(name, bytes);
    }

    curve(kind: number, keys: readonly (readonly number[])[], times: ArrayLike<number>): Float32Array {
        const values = new Float32Array(times.length);
        this.need('limber_lesson_curve', kind, keys.length, Float32Array.from(keys.flat()), times.length, Float32Array.from(times), values);
        return values;
    }

    interpolate(from: readonly number[], to: readonly number[], t: number, slerp: boolean): number[] {
        const out = new Float32Array(4);
        this.need('limber_lesson_turn', Float32Array.from(from), Float32Array.from(to), t, slerp ? 1 : 0, out);
        return [...out];
    }

    /** From every joint to the scene: sixteen numbers a joint, column after column. */
    forward(parents: readonly number[], local: readonly (readonly number[])[]): Float32Array {
        const model = new Float32Array(16 * parents.length);
        this.need('limber_lesson_forward', parents.length, Int32Array.from(parents), Float32Array.from(local.flat()), model);
        return model;
    }

    /** Sweeps of CCD or FABRIK over an arm in the plane. */
    reach(solver: number, lengths: readonly number[], angles: readonly number[], target: readonly number[], sweeps = 1, limits?: readonly (readonly number[])[]): { angles: number[]; left: number } {
        const found = Float32Array.from(angles);
        const left = this.call('limber_lesson_reach', solver, lengths.length, Float32Array.from(lengths), limits ? Float32Array.from(limits.flat()) : 0, target[0]!, target[1]!, sweeps, found);
        if (left < 0) this.complain();
        return { angles: [...found], left };
    }

    /** One step of a Jacobian solver. */
    step(solver: number, jacobian: readonly (readonly number[])[], error: readonly number[], damping = 0): number[] {
        const columns = jacobian[0]!.length, step = new Float64Array(columns);
        this.need('limber_lesson_step', solver, jacobian.length, columns, Float64Array.from(jacobian.flat()), Float64Array.from(error), damping, step);
        return [...step];
    }

    /** Whole shapes, the first at rest, mixed by weights: absolute ones count by their share of the sum. */
    shapes(shapes: readonly Float32Array[], weights: readonly number[], relative: boolean): Float32Array {
        const size = shapes[0]!.length, all = new Float32Array(size * shapes.length), out = new Float32Array(size);
        shapes.forEach((one, k) => all.set(one, k * size));
        this.need('limber_lesson_shapes', size / 3, shapes.length - 1, all, Float32Array.from(weights), relative ? 1 : 0, out);
        return out;
    }

    poseSpace(kernel: number, radius: number, normalized: boolean, examples: readonly number[], angle: number): number[] {
        const out = new Float32Array(examples.length);
        this.need('limber_lesson_pose_space', kernel, radius, normalized ? 1 : 0, examples.length, Float32Array.from(examples), angle, out);
        return [...out];
    }
}

function bytesOf(numbers: Exclude<Argument, number>): Uint8Array {
    return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
