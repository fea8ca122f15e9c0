import { closestName } from "../../runtime/closestName.ts"
import { type Faults, isRecord } from "./Faults.ts"

export { closestName } from "../../runtime/closestName.ts"

/** Lists up to this length are printed if no name is close. */
const maxListed = 8

/** Reports every key of `given` that isn't an option, with the option that was probably meant. */
export const checkNames = (
  {
    elsewhere = [],
    given,
    group,
    known
  }: {
    readonly given: unknown
    /** The option that contains these; `undefined` for the top level. */
    readonly group: string | undefined
    readonly known: ReadonlyArray<string>
    /** Paths of options in other groups, which hosts often give here by mistake. */
    readonly elsewhere?: ReadonlyArray<string>
  },
  faults: Faults
): void => {
  if (!isRecord(given)) return
  for (const name of Object.keys(given).filter((key) => !known.includes(key))) {
    const meant =
      elsewhere.find((path) => path.slice(path.lastIndexOf(".") + 1) === name) ?? closestName(name, known)
    const subject = group === undefined ? `there is no option ${name}` : `${group} has no ${name}`
    if (meant !== undefined) faults.add(`${subject}: did you mean ${meant}?`)
    else if (known.length <= maxListed) faults.add(`${subject}; it has ${known.join(", ")}`)
    else faults.add(`${subject}; docs/options.md lists the options`)
  }
}
