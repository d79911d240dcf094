import { Signal } from './signal';

/** What the browser keeps under a key; null: nothing. */
export function readKept(key: string): string | null {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

/** A browser that keeps nothing asks again. */
export function keep(key: string, value: string): void {
    try {
        localStorage.setItem(key, value);
    } catch {
        // It is as if it had not been chosen.
    }
}

/** One of some values, the first until another is chosen; kept by the browser under `key`. `asked` goes before what was kept. */
export class KeptChoice<T extends string> extends Signal<T> {
    constructor(private readonly key: string, values: readonly [T, ...T[]], asked: string | null = null) {
        const before = asked ?? readKept(key);
        super(values.find((value) => value === before) ?? values[0]);
    }

    choose(value: T): void {
        this.value = value;
        keep(this.key, value);
    }
}
