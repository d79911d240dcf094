import { blobOf } from './blob';
import { h } from './dom';
import { icon, type IconName } from './icons';

let last = 0;

/** A control with its label before it. */
export function field(label: string, control: HTMLElement): HTMLElement {
    control.id ||= `field-${++last}`;
    return h('div', { class: 'field' }, h('label', { for: control.id }, label), control);
}

/** A list to choose one of: [value, what it is called]. */
export function choice(options: [string, string][], value: string, changed: (value: string) => void = () => {}): HTMLSelectElement {
    const select = h('select', { onchange: () => changed(select.value) },
        ...options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)));
    return select;
}

export function number(value: number, min: number, max: number, step: number): HTMLInputElement {
    return h('input', { type: 'number', min: `${min}`, max: `${max}`, step: `${step}`, value: `${value}` });
}

/** A slider with its label before it and its value, as `say` has it, behind. */
export function slider(label: string, value: number, min: number, max: number, step: number, say: (value: number) => string): { element: HTMLElement; input: HTMLInputElement } {
    const input = h('input', { type: 'range', min: `${min}`, max: `${max}`, step: `${step}`, value: `${value}` });
    const said = h('output', {});
    const show = (): void => {
        said.textContent = say(Number(input.value));
        input.setAttribute('aria-valuetext', said.textContent);
        input.style.setProperty('--at', `${(100 * (Number(input.value) - min)) / (max - min)}%`);
    };
    input.addEventListener('input', show);
    show();
    const element = field(label, input);
    element.classList.add('sliding');
    element.append(said);
    return { element, input };
}

export function tick(label: string, checked: boolean, changed: (checked: boolean) => void = () => {}): { element: HTMLElement; input: HTMLInputElement } {
    const input = h('input', { type: 'checkbox', checked, onchange: () => changed(input.checked) });
    return { element: h('label', { class: 'choice' }, input, label), input };
}

export function button(text: string, act: () => void, options: { icon?: IconName; class?: string; title?: string } = {}): HTMLButtonElement {
    return h('button', { type: 'button', class: options.class, title: options.title, onclick: act }, options.icon && icon(options.icon), text);
}

/** A button that is a picture; the label is for those who do not see it, and shows when it is pointed at. */
export function iconButton(name: IconName, label: string, act: () => void, className = 'bare square'): HTMLButtonElement {
    return h('button', { type: 'button', class: className, title: label, 'aria-label': label, onclick: act }, icon(name));
}

/** Rows of a name and a value. */
export function facts(rows: [string, string | null][]): HTMLElement {
    return h('dl', { class: 'facts' }, ...rows.flatMap(([name, value]) => (value === null ? [] : [h('dt', {}, name), h('dd', {}, value)])));
}

/** A number with its thousands set apart, by a space that does not break. */
export function count(n: number): string {
    return `${Math.round(n)}`.replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function bytes(n: number): string {
    return n < 1e4 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(0)} kB` : `${(n / 1e6).toFixed(1)} MB`;
}

/** Hands the user a file. */
export async function download(name: string, content: Uint8Array | Blob): Promise<void> {
    const blob = content instanceof Blob ? content : await blobOf(content);
    const url = URL.createObjectURL(blob);
    h('a', { href: url, download: name }).click();
    // The download has begun by then; at once is too early in some browsers.
    setTimeout(() => URL.revokeObjectURL(url), 30000);
}

// Browsers forget one that nothing holds, and what was chosen with it.
const asking = new Set<HTMLInputElement>();

/** Lets the user choose files. */
export function chooseFiles(accept: string, chosen: (files: File[]) => void): void {
    const input = h('input', { type: 'file', multiple: true, accept });
    asking.clear();
    asking.add(input);
    input.addEventListener('change', () => chosen([...(input.files ?? [])]));
    input.click();
}
