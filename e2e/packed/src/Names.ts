import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/*
 * Lists the names that a declaration exports, types included, in the way that tsc prints them.
 */

const inBraces = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((part) =>
      part
        .trim()
        .replace(/^type /, "")
        .replace(/^.* as /, "")
    )
    .filter((name) => name !== "")

/** Every name that can be imported from a declaration file. */
export const declaredNames = (path: string): ReadonlyArray<string> => {
  const text = readFileSync(path, "utf8")
  const own = [
    ...text.matchAll(
      /^export (?:declare )?(?:abstract )?(?:const|let|function|class|interface|type|enum|namespace) ([\w$]+)/gm
    )
  ].map(([, name]) => name!)
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => inBraces(list!))
  const named = [...text.matchAll(/^export \* as (\w+)/gm)].map(([, name]) => name!)
  const passedOn = [...text.matchAll(/^export \* from "(\.[^"]+)\.[jt]s"/gm)].flatMap(([, file]) =>
    declaredNames(join(dirname(path), `${file}.d.ts`))
  )
  return [...new Set([...own, ...listed, ...named, ...passedOn])].sort()
}
