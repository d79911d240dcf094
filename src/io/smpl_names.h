/// What SMPL's papers call its joints, in their order; motions of it without hands have the first
/// 22.
#ifndef IO_SMPL_NAMES_H
#define IO_SMPL_NAMES_H

extern const char *const lmbi_smpl_names[24];

#endif
