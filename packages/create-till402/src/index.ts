import { runProcess } from "till402"

/** Makes an app by `till402 init` with its arguments, and ends the process. */
export const create = (args: ReadonlyArray<string>): Promise<void> => runProcess(["init", ...args])
