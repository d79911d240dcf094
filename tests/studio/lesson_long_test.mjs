// The lesson: what is dragged moves, numbers in the text follow, every chapter's question is answered by doing.
import assert from 'node:assert/strict';
import { finish, openStudio, test, until, violations } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1280, height: 900, colorScheme: 'light', hash: '#lesson' });
await page.waitForSelector('.lesson .cards');
const titles = await page.locator('.lesson .cards b').allTextContents();

/** Opens a chapter by its title, from the top. */
async function open(title) {
    const number = titles.indexOf(title) + 1;
    assert.ok(number > 0, `there is no chapter "${title}"`);
    await page.evaluate((hash) => (location.hash = hash), `#lesson/${number}`);
    await page.waitForSelector(`.lesson h1:text-is("${title}")`);
    return step;
}

/** A step of the chapter that is open, by its heading. */
async function step(title) {
    const section = page.locator('.lesson .step', { has: page.locator(`h2:has-text("${title}")`) });
    await section.scrollIntoViewIfNeeded();
    await until(async () => (await section.locator('.spin').count()) === 0, `"${title}" is not ready in a minute`);
    return {
        section,
        /** Sets a slider or a number of the text, as a person who types or slides. */
        set: async (label, value) => {
            await section.getByRole('slider', { name: label, exact: true }).and(section.locator('input')).first().fill(`${value}`);
        },
        type: async (label, value) => section.getByRole('spinbutton', { name: label, exact: true }).fill(`${value}`),
        /** The first time with the mouse; further times at once. */
        press: async (name, times = 1) => {
            const button = section.getByRole('button', { name, exact: true });
            await button.click();
            if (times > 1) await button.evaluate(async (one, more) => {
                for (let k = 0; k < more; ++k) {
                    one.click();
                    await null;
                }
            }, times - 1);
        },
        choose: async (name) => section.getByRole('radio', { name, exact: true }).check({ force: true }),
        said: async () => section.locator('.state').first().textContent(),
        words: async () => section.textContent(),
        /** Every number of the scene's text, with true minus signs. */
        numbers: async () => ((await section.locator('.state').first().textContent()).match(/[−-]?\d+(\.\d+)?/g) ?? []).map((x) => Number(x.replace('−', '-'))),
        drag: async (label, right, down, nth = 0) => {
            const box = await section.getByRole('slider', { name: label, exact: true }).nth(nth).boundingBox();
            await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
            await page.mouse.down();
            await page.mouse.move(box.x + box.width / 2 + right, box.y + box.height / 2 + down, { steps: 4 });
            await page.mouse.up();
        },
        nudge: async (label, ...keys) => {
            await section.getByRole('slider', { name: label, exact: true }).first().focus();
            for (const key of keys) await page.keyboard.press(key);
        },
        isAnswered: async () => (await section.locator('.task.done').count()) === 1,
    };
}

const close = (a, b, by, what) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a}, expected ${b}`);

/** Wrong first, right then. */
async function answered(one, act) {
    assert.ok(!(await one.isAnswered()), 'the question is answered before anything is done');
    await act();
    await until(() => one.isAnswered(), `not answered: ${await one.section.locator('.verdict').textContent()}`);
}

/** The same picture, or another one. */
const picture = (one) => one.section.locator('canvas').first().evaluate((canvas) => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(canvas.toDataURL())))));

await test('what animation is: two keys, the way between, slerp, a lift', async () => {
    const at = await open('What animation is');
    const two = await at('Two keys and a line');
    assert.match(await two.said(), /At 1\.20 s the clip gives 4\.10 m/);
    await two.type('Time', 2);
    assert.match(await two.words(), /2\.00 \+ \(2\.00 − 0\.50\) \/ \(2\.50 − 0\.50\) · \(8\.00 − 2\.00\) = 6\.50/);
    await two.drag('Second key: time and height', 0, 200);
    const [, , height] = await two.numbers();
    assert.ok(height < 6, `the second key is still at ${height} m`);
    await two.nudge('First key: time and height', 'ArrowUp', 'ArrowUp');
    close((await two.numbers())[0], 2.2, 1e-6, 'two arrow keys');
    const between = await at('The way between');
    const highest = async () => (await between.numbers()).at(-1);
    close(await highest(), 8, 1e-6, 'straight lines');
    await between.choose('Through all');
    assert.ok((await highest()) > 8.2, 'tangents along the neighbours do not shoot over');
    await between.choose('Cubic');
    close(await highest(), 8, 0.01, 'the cubic that does not overshoot');
    const turning = await at('Rotating is not adding');
    await turning.set('First key', -170);
    await turning.set('Second key', 170);
    await turning.set('Part of the way', 0.5);
    const [, slerp] = await turning.numbers();
    close(Math.abs(slerp), 180, 0.1, 'the short way from −170° to 170°');
    const lift = await at('A lift without jolts');
    await answered(lift, async () => {
        await lift.choose('Cubic');
        for (let k = 0; k < 40 && !(await lift.isAnswered()); ++k) {
            const text = await lift.said();
            await lift.nudge('Second key: time and height', Number(text.match(/At 1.5 s the lift is ([\d.]+)/)[1]) > 6 ? 'ArrowDown' : 'ArrowUp');
        }
    });
});

await test('forward kinematics: the worked example to six digits, and what the module gives', async () => {
    const at = await open('Forward kinematics');
    const chain = await at('One joint after the other');
    assert.match(await chain.words(), /P = \(9\.158617, 3\.960242\)/);
    await chain.set('θ₁', 0);
    assert.doesNotMatch(await chain.words(), /9\.158617/);
    await chain.press('Back to −45°, 50°, 30°');
    assert.match(await chain.said(), /P at \(9\.158617, 3\.960242\)/);
    const frames = await at('Whose numbers?');
    await frames.drag('Origin of the frame', 50, 0);
    const [x, , , , , px] = await frames.numbers();
    close(px, x + 3 * Math.cos(Math.PI / 6) - Math.sin(Math.PI / 6), 0.02, 'P moves with its frame');
    const tree = await at('A walk down the tree');
    await tree.press('Place the next joint', 6);
    assert.match(await tree.said(), /7 of 7 joints are placed/);
    const space = await at('The same in space');
    const [before] = [await space.said()];
    await space.set('Shoulder', 60);
    assert.notEqual(await space.said(), before);
    const reach = await at('Reach by hand');
    await answered(reach, async () => {
        // Two angles by the law of cosines, the last bone straight on.
        const [a, b, d] = [5, 6, Math.hypot(6, 4)], elbow = Math.acos((d * d - a * a - b * b) / (2 * a * b));
        const first = Math.atan2(-4, 6) - Math.atan2(b * Math.sin(elbow), a + b * Math.cos(elbow));
        for (const [name, value] of [['θ₁', first], ['θ₂', elbow], ['θ₃', 0]]) await reach.set(name, Math.round((value * 180) / Math.PI));
    });
});

await test('inverse kinematics: the Jacobian, steps by hand, five solvers, out of reach, five steps', async () => {
    const at = await open('Inverse kinematics');
    const back = await at('The question, backwards');
    assert.match(await back.words(), /Answers: two: elbow up, elbow down/);
    await back.drag('Target', 160, -60);
    assert.match(await back.words(), /Answers: none: it is too far/);
    const columns = await at('What one angle does');
    await columns.set('Rotation Δθ₁', 0);
    assert.match(await columns.words(), /They are 0\.0 cm apart/);
    const stepping = await at('Three ways to turn it round');
    for (const solver of ['Transpose', 'Damped', 'Pseudo-inverse']) {
        await stepping.choose(solver);
        await stepping.press('Start over');
        await stepping.press('Step', 8);
        const left = await stepping.numbers();
        assert.equal(left[0], 8);
        assert.ok(solver !== 'Damped' || left.at(-1) < 5, `${solver}: ${left.at(-1)} cm are left after 8 steps`);
    }
    const race = await at('Five solvers, one target');
    await race.press('Step all', 12);
    const left = Object.fromEntries([...(await race.said()).matchAll(/([\w-]+): ([\d.]+) cm/g)].map(([, name, cm]) => [name, Number(cm)]));
    for (const name of ['Damped', 'CCD', 'FABRIK']) assert.ok(left[name] < 1, `${name}: ${left[name]} cm are left after 12 steps`);
    const singular = await at('Stretched arms go wild');
    await singular.set('Bend of the elbow', 1);
    const [, , wild, calm] = await singular.numbers();
    assert.ok(wild > 10 * calm, `nearly straight: ${wild}° against ${calm}° damped`);
    const limits = await at('Limits');
    await limits.set('Elbow bends to', 30);
    assert.ok((await limits.numbers())[0] <= 30.5, await limits.said());
    const five = await at('Five steps to the target');
    await five.press('Step', 5);
    assert.ok(!(await five.isAnswered()), 'a nearly straight arm does it too');
    await answered(five, async () => {
        await five.set('Start θ₁', 20);
        await five.set('Start θ₂', 60);
        await five.set('Start θ₃', 40);
        await five.press('Step', 3);
    });
});

await test('skinning: the collapse, the candy wrapper and its determinant, what keeps the volume', async () => {
    const at = await open('Skinning, and what goes wrong');
    const linear = await at('A mean of two positions');
    await linear.set('Bend', 90);
    await linear.set('Where it is', 0);
    assert.match(await linear.words(), /0\.50 · \(0\.00, 0\.20\) \+ 0\.50 · \(−0\.20, 0\.00\) = \(−0\.10, 0\.10\)/);
    const collapse = await at('The elbow collapses');
    const before = await picture(collapse), [, , lost] = await collapse.numbers();
    await collapse.set('Bend', 0);
    close((await collapse.numbers())[2], 100, 0.1, 'unbent');
    assert.ok(lost < 96, `bent it keeps ${lost} %`);
    assert.notEqual(await picture(collapse), before, 'the picture does not follow');
    const wrapper = await at('The candy wrapper');
    assert.match(await wrapper.words(), /scales areas, is 0\.000/);
    close((await wrapper.numbers())[1], 0, 0.5, 'the waist at 180°');
    await wrapper.set('Twist', 90);
    close((await wrapper.numbers())[1], 100 * Math.SQRT1_2, 1, 'the waist at 90° is cos 45°');
    const dual = await at('Dual quaternions');
    const [waist, , kept] = await dual.numbers();
    close(waist, 0, 0.5, 'linear');
    close(kept, 100, 1, 'dual quaternions');
    await at('On a body');
    const task = await at('Bend and twist');
    await answered(task, async () => {
        await task.set('Bend', 110);
        await task.set('Twist', 100);
        assert.ok(!(await task.isAnswered()), 'linear skinning keeps the volume');
        await task.choose('Centres of rotation');
    });
});

await test('the skeleton: what hangs from a joint, degrees of freedom, limits, two joints are enough', async () => {
    const at = await open('The skeleton is a tree');
    const tree = await at('What hangs from what');
    assert.match(await tree.words(), /hips → spine → chest/);
    const hanging = async () => (await tree.numbers()).at(-1);
    const arm = await hanging();
    await tree.section.locator('select').selectOption('hips');
    assert.ok((await hanging()) > arm + 20, 'less hangs from the hips than from an arm');
    const robot = await at('Drag a robot arm');
    await robot.drag('Grip', 300, 40);
    assert.ok((await robot.numbers()).at(-1) > 5, 'an arm with limits reaches everything');
    const person = await at('Drag a person');
    await person.drag('Left hand', -40, -60);
    const [, , , , bent] = await person.numbers();
    assert.ok(bent > 10 && bent < 151, `the elbow is bent by ${bent}°`);
    const few = await at('How few will do?');
    await answered(few, async () => {
        for (const k of [3, 4]) await few.section.getByLabel(`Joint ${k} is free`).uncheck();
        if (!(await few.isAnswered())) {
            await few.section.getByLabel('Joint 3 is free').check();
            await few.section.getByLabel('Joint 2 is free').uncheck();
        }
    });
});

await test('rigging: a skeleton is found, heat flows and comes to rest, a knee is put right from two sides', async () => {
    const at = await open('Rigging');
    const embed = await at('From the outside in');
    await embed.press('Find the skeleton');
    const heat = await at('Heat on the skin');
    const [, , hot0] = await heat.numbers();
    await heat.press('One step');
    const [, hottest1] = await heat.numbers();
    await heat.press('Until it rests');
    const [, hottest, half] = await heat.numbers();
    assert.ok(hot0 === 0 && hottest1 > 0 && hottest1 < hottest && hottest <= 1.0001, `${hottest1}, then ${hottest}`);
    assert.ok(half > 20, `${half} vertices are above a half`);
    await until(async () => /joints were found/.test(await embed.said()), 'no skeleton is found');
    const knee = await at('From two sides');
    const place = async () => (await knee.numbers()).slice(0, 3);
    const [, y, z] = await place();
    await knee.drag('Left knee', -25, 0);
    const [x2, , z2] = await place();
    close(z2, z, 0.005, 'from the front the depth does not change');
    await answered(knee, async () => {
        for (const [side, axis, key] of [['From the front', 0, ['ArrowLeft', 'ArrowRight']], ['From the front', 1, ['ArrowDown', 'ArrowUp']], ['From the side', 2, ['ArrowRight', 'ArrowLeft']]]) {
            await knee.press(side);
            for (let k = 0; k < 30 && !(await knee.isAnswered()); ++k) {
                const all = await knee.numbers(), wanted = axis ? all[3 + axis] : -all[3];
                if (Math.abs(all[axis] - wanted) < 0.009) break;
                await knee.nudge('Left knee', all[axis] > wanted ? key[0] : key[1]);
            }
        }
    });
    assert.ok(y > 0 && x2 < 1);
});

await test('weights: rows that sum to one, a map, a brush', async () => {
    const at = await open('Weights');
    const row = await at('A vertex has a row');
    await row.set('Along the arm', 20);
    assert.match(await row.said(), /Sum 1\.000/);
    const sums = await at('Why they sum to one');
    close((await sums.numbers())[3], 1.2, 1e-6, 'weights as they are');
    await sums.section.getByLabel('Divide by the sum').check();
    close((await sums.numbers())[3], 1, 1e-6, 'divided by their sum');
    const paint = await at('Paint');
    const before = (await paint.numbers())[0];
    await paint.press('Paint there');
    const [after, sum] = await paint.numbers();
    assert.ok(after > before + 0.1, `painting took the weight from ${before} to ${after}`);
    close(sum, 1, 0.01, 'the row after painting');
    await paint.press('Undo');
    close((await paint.numbers())[0], before, 0.011, 'undo');
    const mend = await at('Mend a slip');
    await answered(mend, async () => {
        await mend.choose('Take');
        for (let k = 0; k < 12 && !(await mend.isAnswered()); ++k) await mend.press('Paint at the mark');
    });
});

await test('bind pose: T = G G⁻¹ is the identity at rest, by hand as the library has it', async () => {
    const at = await open('Bind pose and its inverse');
    const out = await at('Out of it, moved');
    await out.press('Into the bind pose');
    assert.match(await out.words(), /T · \(5\.17, 2\.71\) = \(5\.17, 2\.71\)/);
    const away = await at('At rest nothing moves');
    const upper = async () => Number((await away.section.locator('.matrix td').first().textContent()).replace('−', '-'));
    close(await upper(), 1, 1e-9, 'the identity at rest');
    await away.set('Away from the bind pose', 100);
    close(await upper(), Math.cos(1.1), 0.011, 'away from the bind pose it turns');
    const through = await at('Through two bones');
    await through.set('Elbow', 0);
    const [x1, , x2] = await through.numbers();
    close(x1, x2, 0.011, 'unbent, both bones agree');
    const person = await at('On a person');
    const text = await person.words();
    assert.equal(text.match(/T v = (\([^)]*\))/)[1], text.match(/the library: (\([^)]*\))/)[1]);
    const lost = await at('The lost bind pose');
    await answered(lost, async () => {
        await lost.set('Upper arm was at', 25);
        await lost.set('Forearm was at', -15);
    });
});

await test('blend shapes: shares of one, differences, pose space, a face to match', async () => {
    const at = await open('Blend shapes and correctives');
    const relative = await at('Differences on top');
    await relative.set('w smile', 0);
    await relative.set('w surprise', 0);
    const rest = (await relative.numbers()).slice(-2);
    await relative.set('w smile', 1);
    assert.ok((await relative.numbers()).at(-1) > rest[1] + 0.3, 'a smile lifts no corner');
    const space = await at('The pose turns them on');
    await space.set('Elbow', 70);
    const [, w0, w1, w2] = await space.numbers();
    for (const [w, wanted] of [[w0, 0], [w1, 1], [w2, 0]]) close(w, wanted, 0.011, 'at an example it alone counts');
    const height = (await space.numbers()).at(-1);
    await space.drag('Sculpt at 70°', 0, -25);
    assert.ok((await space.numbers()).at(-1) > height + 0.03, 'the sculpt does not follow its handle');
    const match = await at('Match a face');
    await answered(match, async () => {
        for (const [name, value] of [['w smile', 1.2], ['w surprise', 0.5], ['w frown', -0.3]]) await match.set(name, value);
    });
});

await test('a body with a shape: directions, joints that follow, correctives, a passport', async () => {
    const at = await open('A body with a shape');
    const joints = await at('Joints that follow the shape');
    const [, knee] = await joints.numbers();
    await joints.set('Legs', -3);
    assert.ok((await joints.numbers())[1] < knee - 0.1, 'knees do not follow the legs');
    const pose = await at('What the pose adds');
    assert.ok((await pose.numbers()).at(-1) > 3, await pose.said());
    await pose.set('Elbow', 0);
    close((await pose.numbers()).at(-1), 0, 0.5, 'correctives at rest');
    const passport = await at('Passport and tailor');
    await answered(passport, async () => {
        for (let k = 0; k < 40 && !(await passport.isAnswered()); ++k) {
            const [tall, span] = await passport.numbers();
            const slider = passport.section.getByRole('slider', { name: Math.abs(tall - 1.85) > 0.005 ? 'Height' : 'Arms', exact: true });
            const by = Math.abs(tall - 1.85) > 0.005 ? (1.85 - tall) / 0.067 : (1.75 - span) / 0.1;
            await slider.fill(`${(Number(await slider.inputValue()) + Math.sign(by) * Math.max(0.1, Math.abs(by))).toFixed(1)}`);
        }
    });
});

await test('playing: ticks, a seam, two clips in step, one on top, in time with the music', async () => {
    const at = await open('Playing and blending');
    const ticks = await at('Ticks and clocks');
    await ticks.set('Ticks a second', 50);
    assert.match(await ticks.said(), /clip 1\.00 of 2\.00 s, tick 50\.0 of 100/);
    const seam = await at('A loop without a seam');
    assert.ok((await seam.numbers()).at(-1) > 20, 'a walk that is cut does not jump');
    await seam.set('End of the loop', 100);
    close((await seam.numbers()).at(-1), 0, 0.2, 'the whole cycle');
    const both = await at('Two clips at once');
    const apart = [];
    for (const weight of [0, 0.5, 1]) {
        await both.set('Weight of the run', weight);
        apart.push((await both.numbers()).at(-1));
    }
    assert.ok(apart[0] !== apart[2], `walk and run alike: ${apart} cm`);
    assert.match(await both.said(), /in step: a cycle takes 0\.70 s/);
    const top = await at('On top of it');
    const [, feet, hand] = await top.numbers();
    await top.choose('Mixed in');
    const [, feet2] = await top.numbers();
    assert.ok(feet > feet2 + 5 && hand > 1.2, `feet ${feet} and ${feet2} cm apart, the hand ${hand} m up`);
    const music = await at('In time with the music');
    await answered(music, async () => {
        await music.set('Weight of the run', 0.5);
        await music.section.getByLabel('Keep step').check();
    });
});

await test('motion capture: noise in bones, a knee, a stride that fits another body', async () => {
    const at = await open('Motion capture');
    const cloud = await at('A cloud of points');
    await cloud.set('Noise', 0);
    const [, , low, high] = await cloud.numbers();
    close(high, low, 0.11, 'without noise the forearm keeps its length');
    const knee = await at('From points to angles');
    const [, , least, most] = await knee.numbers();
    assert.ok(least < 12 && most > 45, `the knee bends from ${least}° to ${most}°`);
    const feet = await at('Feet that stand');
    const locked = (await feet.numbers()).at(-1);
    await feet.section.getByLabel('Lock the feet').uncheck();
    assert.ok((await feet.numbers()).at(-1) > 3 * locked, `copied ${await feet.said()}, locked ${locked}`);
    const stride = await at('The right stride');
    await answered(stride, async () => {
        await stride.set('Way of the hips', 1.02);
        await stride.set('Time', 0.3);
    });
});

await test('rules and physics: a gait, a spring, arms that swing, a fall on the face', async () => {
    const at = await open('Rules and physics');
    const gait = await at('A walk that was written');
    const [, period] = await gait.numbers();
    await gait.set('Speed', 2);
    assert.ok((await gait.numbers())[1] < period, 'a faster walk takes no quicker steps');
    const spring = await at('A spring');
    await spring.set('Damping', 1);
    close((await spring.numbers())[2], 0, 1, 'a critical spring overshoots');
    const arms = await at('Chains of springs');
    await arms.press('Half a second on', 4);
    assert.notEqual((await arms.numbers()).at(-1), 0, 'arms without bones do not hang');
    const fall = await at('On its face');
    await answered(fall, async () => {
        await fall.set('Muscles', 0);
        for (const push of [40, 70, 100, 130]) {
            await fall.set('Push', push);
            await fall.press('Let it fall');
            await fall.press('To the end');
            if (await fall.isAnswered()) break;
        }
    });
});

await test('the graphics card: bytes, a shader with its errors by line, mended until it agrees with the library', async () => {
    const at = await open('On the graphics card');
    const shader = await at('The shader');
    await until(async () => (await shader.numbers())[0] < 0.1, await shader.said());
    const area = shader.section.locator('textarea'), source = await area.inputValue();
    await area.fill(source.replace('mat4 t =', 'mat4 t = nothing +'));
    assert.match(await shader.section.locator('.complaints').textContent(), /Line 19: .*nothing/);
    await shader.press('As it was');
    assert.equal(await shader.section.locator('.complaints').textContent(), 'It compiles.');
    const mend = await at('Mend it');
    assert.ok((await mend.numbers())[0] > 5, await mend.said());
    await answered(mend, () => mend.section.locator('textarea').fill(source));
});

await test('numbers are dragged in the sentence, and nothing moves by itself for those who want it still', async () => {
    const at = await open('What animation is');
    const two = await at('Two keys and a line');
    const number = two.section.getByRole('spinbutton', { name: 'Time', exact: true });
    const before = Number(await number.inputValue()), box = await number.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    const after = Number(await number.inputValue());
    assert.ok(after > before + 0.3, `dragged by 60 pixels the number went from ${before} to ${after}`);
    assert.match(await two.said(), new RegExp(`At ${after.toFixed(2)} s`));
    const stills = await at('A function of time');
    const still = await stills.said();
    await page.waitForTimeout(200);
    assert.equal(await stills.said(), still);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const moving = await open('Rules and physics'), gait = await moving('A walk that was written');
    const words = await gait.said();
    await until(async () => (await gait.said()) !== words, 'nobody walks');
    await page.emulateMedia({ reducedMotion: 'reduce' });
});

await test('now on your character: the tool is opened, on a body where there is none', async () => {
    await open('Weights');
    await page.getByRole('button', { name: 'Open the Weights tool' }).click();
    await page.waitForSelector('.lesson', { state: 'hidden' });
    await page.waitForFunction(() => window.limber.session.current !== null, null, { timeout: 60000 });
    await page.waitForSelector('#tab-weights[aria-selected="true"]');
});

await test('a link leads to a step, a reload comes back to it, and the studio is as it was', async () => {
    await page.evaluate(() => (location.hash = '#lesson/1/4'));
    await page.waitForFunction(() => Math.abs(document.querySelector('#step-1-4').getBoundingClientRect().top - 72) < 60);
    await page.evaluate(() => document.querySelector('.lesson').scrollBy(0, 700));
    await until(async () => /#lesson\/1\/[56]$/.test(page.url()), `the address stays ${page.url()}`);
    const url = page.url();
    await page.reload();
    await page.waitForSelector('.lesson .step');
    assert.equal(page.url(), url);
    await page.waitForFunction((id) => document.querySelector(id)?.getBoundingClientRect().top < 400, `#step-${url.split('#lesson/')[1].replace('/', '-')}`);
    assert.equal(await page.locator('.toc-list .tick').count() > 0, true, 'answered questions are forgotten');
    await page.evaluate(() => (location.hash = ''));
    await page.waitForSelector('.lesson', { state: 'hidden' });
    await page.waitForSelector('.head', { state: 'visible' });
    assert.equal(await page.title(), 'Limber studio');
});

await test('a link is followed although the page was just scrolled', async () => {
    await open('Weights');
    // The rest after scrolling ends while the page is busy, and the link is followed before that is dealt with.
    const busy = page.evaluate(() => {
        document.querySelector('.lesson').dispatchEvent(new Event('scroll'));
        setTimeout(() => {
            const end = performance.now() + 400;
            while (performance.now() < end);
        });
    });
    await Promise.all([busy, new Promise((resolve) => setTimeout(resolve, 100)).then(() => page.evaluate(() => (location.hash = '#lesson/2')))]);
    await page.waitForTimeout(300);
    assert.match(page.url(), /#lesson\/2$/);
    assert.match(await page.locator('.lesson .kicker').textContent(), /Chapter 2 of/);
});

await test('a step that a link leads to stays at the top while scenes above it come', async () => {
    for (const [chapter, step] of [[6, 2], [12, 2], [8, 3]]) {
        await page.evaluate((hash) => (location.hash = hash), `#lesson/${chapter}/${step}`);
        const title = page.locator(`#step-${chapter}-${step}-title`);
        await title.waitFor();
        await page.waitForTimeout(2500);
        const { y } = await title.boundingBox();
        assert.ok(y > 40 && y < 160, `${chapter}.${step} is at ${y}`);
        assert.match(page.url(), new RegExp(`#lesson/${chapter}/${step}$`));
    }
});

await test('every chapter can be used without a mouse or eyes, dark and light, and fits a phone', async () => {
    for (let number = 0; number <= titles.length; ++number) {
        const width = number < 2 ? 1280 : 390, colorScheme = number % 2 ? 'light' : 'dark';
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        await page.evaluate((hash) => (location.hash = hash), number ? `#lesson/${number}` : '#lesson');
        await page.waitForSelector(number ? `.lesson .kicker:has-text("Chapter ${number} of")` : '.lesson .cards');
        await until(async () => (await page.locator('.lesson .spin').count()) === 0, `chapter ${number} is not ready in a minute`);
        const wide = await page.evaluate(() => document.querySelector('.lesson').scrollWidth - document.querySelector('.lesson').clientWidth);
        assert.equal(wide, 0, `chapter ${number} is ${wide} pixels wider than a screen of ${width}`);
        // Chapters are made of the same parts: these have every one of them, in both schemes.
        if ([0, 2, 3, 5, 8, 11, 14].includes(number)) assert.deepEqual(await violations(page), [], `chapter ${number}, ${colorScheme}`);
    }
});

await test('nothing is complained of, and nothing is asked of other machines', () => {
    assert.deepEqual(studio.complaints, []);
    assert.deepEqual(studio.strangers, []);
});

await studio.close();
finish();
