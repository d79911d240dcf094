import { h } from '../../base/dom';
import { fixed } from './words';

export interface MatrixOptions {
    /** What it is called, for those who do not see it, and above it. */
    name: string;
    digits?: number;
    /** A class for each column or entry: which colour it has. */
    color?: (row: number, column: number) => string;
}

/** A matrix as a table whose numbers change in place. */
export class MatrixTable {
    readonly element: HTMLElement;
    private readonly cells: HTMLElement[][];
    private readonly digits: number;

    constructor(rows: number, columns: number, { name, digits = 2, color = () => '' }: MatrixOptions) {
        this.digits = digits;
        this.cells = Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => h('td', { class: color(r, c) })));
        this.element = h('div', { class: 'matrix' },
            h('span', { class: 'name' }, name),
            h('table', { 'aria-label': name }, h('tbody', {}, ...this.cells.map((row) => h('tr', {}, ...row)))));
    }

    show(values: readonly (readonly number[])[]): void {
        this.cells.forEach((row, r) => row.forEach((cell, c) => {
            const text = fixed(values[r]![c]!, this.digits);
            if (cell.textContent !== text) cell.textContent = text;
        }));
    }
}

/** Matrices and the signs between them, in a row that wraps. */
export function product(...parts: (MatrixTable | string)[]): HTMLElement {
    return h('div', { class: 'product' }, ...parts.map((part) => (typeof part === 'string' ? h('span', { class: 'sign' }, part) : part.element)));
}

/** The rows of a matrix of the module's, sixteen numbers column after column. */
export function rowsOf(m: ArrayLike<number>, at = 0): number[][] {
    return [0, 1, 2, 3].map((r) => [0, 1, 2, 3].map((c) => m[at + 4 * c + r]!));
}

/** Of a transform in the plane: the rows of the 3 x 3 matrix. */
export function planeRows(m: ArrayLike<number>, at = 0): number[][] {
    return [0, 1, 3].map((r) => [0, 1, 3].map((c) => m[at + 4 * c + r]!));
}
