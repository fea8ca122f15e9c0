import { Effect } from "effect"
import type { Handling } from "../http/Http.ts"
import { report } from "../runtime/events.ts"
import { type Check, checkOf, textOf } from "./Check.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/*
 * Whether the framework has mounted the till at the path of its base URL, as its requests show. A proxy in front may change
 * the path, so another mount is reported, and works.
 */

/** A part of a path may be chosen by a caller, where the host's mount has a parameter. */
const isPlain = (mount: string): boolean => mount.length <= 100 && /^(?:\/[\w.~-]+)+$/.test(mount)

/** The check of a till that was found at another mount than its base URL's. Pure. */
export const mountCheckOf = ({ baseUrl }: Pick<ConfiguredSettings, "baseUrl">, mount: string): Check => {
  const { origin, pathname } = new URL(baseUrl)
  const actual = `${origin}${mount}`
  return checkOf("baseUrl", undefined, {
    status: "warn",
    problem: `The till is mounted at ${mount}, and the path of baseUrl is ${pathname}: callers pay at ${baseUrl}/x402/…`,
    cure: mount.endsWith("/x402")
      ? "Mount the till without /x402, with which its routes begin by themselves"
      : `Set baseUrl to ${actual}, or mount the till at the path of baseUrl. If a proxy in front changes the path, nothing is wrong`
  })
}

/** Remembers the first mount that isn't the base URL's, and reports it once. */
export class MountCheck {
  private readonly settings: Pick<ConfiguredSettings, "baseUrl">
  private check: Check | undefined
  constructor(settings: Pick<ConfiguredSettings, "baseUrl">) {
    this.settings = settings
  }

  /** What was found by now. */
  readonly found = (): ReadonlyArray<Check> => (this.check === undefined ? [] : [this.check])

  /** Handles a request, and reports its mount before. */
  readonly noting = (handling: Handling, mount: string | undefined): Handling => {
    if (mount === undefined || this.check !== undefined || !isPlain(mount)) return handling
    this.check = mountCheckOf(this.settings, mount)
    return Effect.andThen(
      report("Warn", "mount_differs", textOf(this.check), { reason: "baseUrl" }),
      Effect.isEffect(handling) ? handling : Effect.succeed(handling)
    )
  }
}
