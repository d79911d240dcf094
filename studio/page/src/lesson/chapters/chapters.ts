import type { Chapter } from '../kit/step';
import { keys } from './01_keys';
import { skeleton } from './02_skeleton';
import { forward } from './03_forward';
import { inverse } from './04_inverse';
import { rigging } from './05_rigging';
import { weights } from './06_weights';
import { bindPose } from './07_bind';
import { skinning } from './08_skinning';
import { blendShapes } from './09_shapes';
import { bodyModel } from './10_body';
import { playing } from './11_playing';
import { capture } from './12_capture';
import { physics } from './13_physics';
import { gpu } from './14_gpu';

/** In the order in which they are read. */
export const chapters: Chapter[] = [keys, skeleton, forward, inverse, rigging, weights, bindPose, skinning, blendShapes, bodyModel, playing, capture, physics, gpu];
