import type { Chapter } from '../kit/step';
import { keys } from './01_keys';
import { forward } from './03_forward';
import { inverse } from './04_inverse';
import { skinning } from './08_skinning';

export const chapters: Chapter[] = [keys, forward, inverse, skinning];
