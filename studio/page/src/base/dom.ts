type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

/** An element: properties by their DOM names, `on…` as listeners, `aria-…` and `data-…` as attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (value === undefined || value === null) continue;
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
        else if (name.includes('-') || name === 'role' || name === 'for' || name === 'list') element.setAttribute(name, String(value));
        else if (name === 'class') element.className = String(value);
        else (element as unknown as Props)[name] = value;
    }
    add(element, ...children);
    return element;
}

export function add(parent: Node, ...children: Child[]): void {
    for (const child of children) {
        if (child) parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
    }
}

/** Puts other children in place of those that are there. */
export function fill(parent: Element, ...children: Child[]): void {
    parent.replaceChildren();
    add(parent, ...children);
}
