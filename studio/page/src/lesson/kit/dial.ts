import { h } from '../../base/dom';
import { fixed } from './words';

export interface DialOptions {
    label: string;
    value: number;
    min: number;
    max: number;
    step: number;
    /** What stands behind the number: °, m, s. */
    unit?: string;
}

let last = 0;

/** A number that can be changed where it stands in a sentence, by dragging or typing, and by a slider below the picture. */
export class Dial {
    private current: number;
    private readonly digits: number;
    private readonly shown: (() => void)[] = [];

    constructor(readonly options: DialOptions, private readonly changed: () => void) {
        this.current = options.value;
        this.digits = Math.max(0, -Math.floor(Math.log10(options.step) + 1e-9));
    }

    get value(): number {
        return this.current;
    }

    set value(wanted: number) {
        const { min, max, step } = this.options;
        const next = Math.min(max, Math.max(min, min + Math.round((wanted - min) / step) * step));
        if (!Number.isFinite(next) || next === this.current) return;
        this.current = Number(next.toFixed(10));
        this.show();
        this.changed();
    }

    /** For people: with a true minus. */
    get text(): string {
        return fixed(this.current, this.digits);
    }

    private show(): void {
        for (const one of this.shown) one();
    }

    private attributes(): Record<string, string> {
        const { min, max, step } = this.options;
        return { min: `${min}`, max: `${max}`, step: `${step}` };
    }

    /** In the sentence: dragged to the left and right, or typed. */
    inline(): HTMLElement {
        const { label, unit = '' } = this.options;
        const input = h('input', { type: 'number', 'aria-label': label, title: `${label}: drag or type`, ...this.attributes() });
        const show = (): void => {
            if (document.activeElement !== input || Number(input.value) !== this.current) input.value = this.current.toFixed(this.digits);
            input.style.width = `${Math.max(2, this.text.length) + 0.7}ch`;
        };
        input.addEventListener('input', () => {
            if (input.value !== '') this.value = Number(input.value);
        });
        input.addEventListener('blur', show);
        this.dragged(input);
        this.shown.push(show);
        show();
        return h('span', { class: 'dial' }, input, unit && h('span', { class: 'unit' }, unit));
    }

    private dragged(input: HTMLInputElement): void {
        let from = 0, start = 0, moved = false;
        input.addEventListener('pointerdown', (event) => {
            from = event.clientX;
            start = this.current;
            moved = false;
            input.setPointerCapture(event.pointerId);
        });
        input.addEventListener('pointermove', (event) => {
            if (!input.hasPointerCapture(event.pointerId)) return;
            const by = event.clientX - from;
            if (!moved && Math.abs(by) < 4) return;
            moved = true;
            input.blur();
            const { min, max, step } = this.options;
            // The whole range takes 300 pixels, unless a step takes 4.
            this.value = start + by * Math.min((max - min) / 300, step / 2 + (max - min) / 400);
        });
        input.addEventListener('pointerup', (event) => {
            input.releasePointerCapture(event.pointerId);
            if (!moved) input.select();
        });
    }

    /** Below the picture: a slider with its name and number. */
    slider(): HTMLElement {
        const { label, unit = '' } = this.options;
        const id = `lesson-dial-${++last}`;
        const input = h('input', { type: 'range', id, ...this.attributes() });
        const number = h('output', { for: id });
        const show = (): void => {
            input.value = `${this.current}`;
            input.style.setProperty('--at', `${(100 * (this.current - this.options.min)) / (this.options.max - this.options.min)}%`);
            number.textContent = this.text + unit;
        };
        input.addEventListener('input', () => (this.value = Number(input.value)));
        this.shown.push(show);
        show();
        return h('div', { class: 'slide' }, h('label', { for: id }, label), input, number);
    }
}

/** One of a few, as a row of buttons of which one is pressed. */
export class Choice<T extends string> {
    constructor(readonly label: string, readonly options: readonly (readonly [T, string])[], private current: T, private readonly changed: () => void) {}

    private readonly buttons = new Map<T, HTMLInputElement>();

    get value(): T {
        return this.current;
    }

    set value(value: T) {
        if (value === this.current) return;
        this.current = value;
        const button = this.buttons.get(value);
        if (button) button.checked = true;
        this.changed();
    }

    element(): HTMLElement {
        const name = `lesson-choice-${++last}`;
        return h('fieldset', { class: 'choose' }, h('legend', {}, this.label), ...this.options.map(([value, text]) => {
            const input = h('input', { type: 'radio', name, value, checked: value === this.current, onchange: () => (this.value = value) });
            this.buttons.set(value, input);
            return h('label', {}, input, h('span', {}, text));
        }));
    }
}

/** On or off. */
export class Toggle {
    constructor(readonly label: string, private current: boolean, private readonly changed: () => void) {}

    private readonly input = h('input', { type: 'checkbox', onchange: () => (this.value = this.input.checked) });

    get value(): boolean {
        return this.current;
    }

    set value(value: boolean) {
        this.input.checked = value;
        if (value === this.current) return;
        this.current = value;
        this.changed();
    }

    element(): HTMLElement {
        this.input.checked = this.current;
        return h('label', { class: 'toggle' }, this.input, this.label);
    }
}
