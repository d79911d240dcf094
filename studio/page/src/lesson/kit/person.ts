import type { Actor } from './actor';
import type { Step } from './step';

/** Opens a made character when it is there, and closes it with the chapter. */
export function withActor(step: Step, what: string, bytes: Promise<Uint8Array>, then: (actor: Actor) => void): void {
    step.later(what, bytes, (file) => then(step.open(file)));
}

export function withPerson(step: Step, then: (actor: Actor) => void): void {
    withActor(step, 'Making a person', step.bodies.person(), then);
}

/** The joints of a human that are told apart in the text, by what they are called there. */
export const humanJoints = [
    ['hips', 'Hips'], ['spine', 'Spine'], ['chest', 'Chest'], ['neck', 'Neck'], ['head', 'Head'],
    ['leftShoulder', 'Left collarbone'], ['leftUpperArm', 'Left upper arm'], ['leftLowerArm', 'Left forearm'], ['leftHand', 'Left hand'],
    ['leftUpperLeg', 'Left thigh'], ['leftLowerLeg', 'Left shin'], ['leftFoot', 'Left foot'],
] as const;

export type HumanJoint = (typeof humanJoints)[number][0];

/** Whether a joint is another one or hangs from it. */
export function hangsFrom(parents: readonly number[], joint: number, above: number): boolean {
    for (let at = joint; at >= 0; at = parents[at]!) if (at === above) return true;
    return false;
}

/** A list to choose a joint from. */
export function jointChoice(step: Step, label: string, value: HumanJoint, changed: () => void = () => {}): { element: HTMLElement; readonly value: HumanJoint } {
    const select = document.createElement('select');
    for (const [key, name] of humanJoints) select.add(new Option(name, key, key === value, key === value));
    select.addEventListener('change', () => {
        changed();
        step.changed();
    });
    const element = document.createElement('label');
    element.className = 'pick';
    element.append(label, ' ', select);
    return { element, get value() { return select.value as HumanJoint; } };
}
