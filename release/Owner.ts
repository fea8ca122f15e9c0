import { readFileSync } from "node:fs"
import { join } from "node:path"

/*
 * Values that only the owner of the project knows. They stand in `owner.json`, which is empty until the owner fills it;
 * nothing here invents one.
 */

export interface Owner {
  /** Public repository, such as `https://github.com/owner/name`. */
  readonly repository: string
  /** Page about the project. */
  readonly homepage: string
  /** Where vulnerabilities are reported: a mail address or a URL. */
  readonly securityContact: string
}

const page = /^https:\/\/[^\s/]+\.[^\s/]+(\/\S*)?$/
const rules: Readonly<Record<keyof Owner, readonly [RegExp, string]>> = {
  repository: [
    /^https:\/\/[^\s/]+\.[^\s/]+(\/[\w.-]+){2,}(?<!\.git)$/,
    "https://HOST/OWNER/NAME, without .git"
  ],
  homepage: [page, "an https URL"],
  securityContact: [
    new RegExp(`^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$|${page.source}`),
    "a mail address or an https URL"
  ]
}

/** The values of `owner.json` below `root`. */
export const readOwner = (root: string): Owner => {
  const given = JSON.parse(readFileSync(join(root, "owner.json"), "utf8")) as Partial<Owner>
  const { homepage = "", repository = "", securityContact = "" } = given
  return { homepage, repository, securityContact }
}

/** What is missing or wrong in `owner.json`, one line each. */
export const ownerFaults = (owner: Owner): ReadonlyArray<string> =>
  Object.entries(rules).flatMap(([name, [pattern, form]]) => {
    const value = owner[name as keyof Owner]
    if (value === "") return [`owner.json: ${name} is empty; give ${form}`]
    return pattern.test(value) ? [] : [`owner.json: ${name} must be ${form}`]
  })
