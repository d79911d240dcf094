import { add, h } from '../base/dom';
import { rgb } from './kit/color';
import { withActor } from './kit/person';
import type { Step } from './kit/step';
import { fixed } from './kit/words';

/** The first screen: what the lesson is, and somebody who walks, skin and bones. */
export function cover(step: Step): HTMLElement {
    add(step.text,
        h('h1', {}, 'How characters move'),
        h('p', { class: 'lead' }, 'Fourteen short chapters, from two keys on a line to a shader on the graphics card. Everything on these pages moves: drag the points, drag the numbers in the sentences, and watch the formulas follow.'),
        h('p', {}, 'What computes it is the same library that rigs your characters in the studio. Nothing leaves this machine.'),
        h('p', { class: 'begin' }, h('a', { class: 'button primary', href: '#lesson/1' }, 'Begin with chapter 1')));
    const player = step.player();
    const bones = step.dial({ label: 'From skin to bones', value: 45, min: 0, max: 100, step: 1, unit: ' %' });
    let time = 0.3;
    withActor(step, 'Making somebody who walks', step.bodies.mover('--in-place', 'walk', 'run', 'idle', 'wave'), (actor) => {
        const walk = actor.clip('walk');
        step.first(() => actor.sample(walk, time % actor.clips[walk]!.duration));
        step.space({ label: 'A person who walks, skin and bones', target: [0, 0.86, 0], distance: 4, yaw: 40, pitch: 8, aspect: 0.92, draw: (space) => {
            space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
            const alpha = 1 - bones.value / 100;
            if (alpha > 0) space.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin'), alpha });
            if (bones.value > 0) space.bones(actor.model, actor.parents, 'bone', (joint) => joint > 0);
        } });
        step.controls(player.element, bones.slider());
        step.state(() => `A walk of ${fixed(actor.clips[walk]!.duration)} s a cycle, at ${fixed(time % actor.clips[walk]!.duration)} s; ${actor.names.length} joints under ${actor.vertexCount} vertices.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            time += seconds;
            step.changed();
        });
    });
    return h('header', { class: 'cover' }, step.text, step.scene);
}
