import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** Why SQLite could not open a path, if the file system shows it. */
export const pathFault = (filename: string): string | undefined => {
  const path = resolve(filename)
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  if (folder === undefined) return `the folder ${dirname(path)} does not exist`
  if (!folder.isDirectory()) return `${dirname(path)} is not a folder`
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? "it is a folder" : undefined
}
