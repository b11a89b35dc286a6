/*
 * What a program does before all else, so that its own text is the same on every system.
 */
#ifndef PLATFORM_PROGRAM_H
#define PLATFORM_PROGRAM_H

/*
 * Let the standard streams be something and pass bytes on unchanged, and have the arguments in UTF-8, as they were
 * given: no pattern is expanded. To be called first, with what main() got; the new ones last as long as the program.
 */
void program_start(int *argc, char ***argv);

#endif
