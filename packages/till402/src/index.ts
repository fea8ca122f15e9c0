/*
 * The command as a function, for programs that have a command line of their own.
 */
export { run } from "./commands/run.ts"
export { runProcess } from "./runProcess.ts"
export { type Surroundings } from "./commands/Surroundings.ts"
export { type Output, processOutput } from "./terminal/Output.ts"
export { version } from "./version.ts"
