import { h } from '../../base/dom';
import type { ColorName } from './color';

export interface HandleOptions {
    /** What is moved, for those who do not see it. */
    label: string;
    color?: ColorName;
    /** Its numbers in words. */
    text: () => string;
    /** Moves it by so many pixels to the right and down from where the drag began. */
    drag: (dx: number, dy: number, event: PointerEvent) => void;
    begin?: () => void;
    end?: () => void;
    /** Arrow keys: one step to the right, one up. */
    nudge: (right: number, up: number) => void;
}

/** A point that can be dragged, or moved with the arrow keys; it lies over a picture. */
export class Handle {
    readonly element: HTMLElement;

    constructor(private readonly options: HandleOptions) {
        this.element = h('span', { class: `handle ${options.color ?? 'a'}`, role: 'slider', tabIndex: 0, 'aria-label': options.label, 'aria-valuenow': '0' });
        let from: [number, number] | null = null;
        this.element.addEventListener('pointerdown', (event) => {
            from = [event.clientX, event.clientY];
            this.element.setPointerCapture(event.pointerId);
            options.begin?.();
            event.stopPropagation();
        });
        this.element.addEventListener('pointermove', (event) => {
            if (from) options.drag(event.clientX - from[0], event.clientY - from[1], event);
        });
        const up = (): void => {
            if (from) options.end?.();
            from = null;
        };
        this.element.addEventListener('pointerup', up);
        this.element.addEventListener('pointercancel', up);
        this.element.addEventListener('keydown', (event) => {
            const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
            if (!step) return;
            event.preventDefault();
            const by = event.shiftKey ? 5 : 1;
            options.begin?.();
            options.nudge(step[0]! * by, step[1]! * by);
            options.end?.();
        });
    }

    /** In pixels of the picture. */
    position(x: number, y: number): void {
        this.element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        const text = this.options.text();
        if (this.element.getAttribute('aria-valuetext') !== text) this.element.setAttribute('aria-valuetext', text);
    }
}
