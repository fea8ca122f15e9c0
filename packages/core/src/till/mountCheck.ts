import { Effect } from "effect"
import type { Handling } from "../http/Http.ts"
import type { Caller, IncomingRequest } from "../http/HttpMessage.ts"
import { pathMatcher } from "../http/Router.ts"
import { report } from "../runtime/events.ts"
import { type Check, checkOf, textOf } from "./Check.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/*
 * Whether the framework has mounted the till at the path of its base URL, as its requests show. A proxy in front may change
 * the path, so another mount is reported, and works. A paid path that begins with the base URL's own is reported, too.
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

type Settings = Pick<ConfiguredSettings, "baseUrl" | "prefix">
/** Whether a path is one of the till's. */
type Handles = (pathname: string) => boolean

/**
 * The check of paid routes whose path begins with the base URL's own, where a request has that path as it is: documents name
 * it twice. `undefined`: the request is for none of them, or for a path below the base URL's, such as one with it twice. Pure.
 */
const doubledCheckOf = (
  { baseUrl, prefix }: Settings,
  { handles, paths }: { readonly handles: Handles; readonly paths: ReadonlyArray<string> },
  pathname: string
): Check | undefined => {
  if (prefix === "") return undefined
  const matching = (pathname: string) => paths.find((path) => pathMatcher(path)(pathname) !== undefined)
  const path = matching(pathname)
  if (path === undefined || !`${path}/`.startsWith(`${prefix}/`)) return undefined
  const below = pathname.slice(prefix.length)
  if (handles(below) || matching(below) !== undefined) return undefined
  return checkOf("baseUrl", undefined, {
    status: "warn",
    problem: `The path ${path} of a paid route begins with that of baseUrl: callers pay at ${baseUrl}${path}`,
    cure: `Give ${path === prefix ? "another path" : `the path ${path.slice(prefix.length)}`}, or leave ${prefix} out of baseUrl. If a proxy in front takes it away, nothing is wrong`
  })
}

/** Remembers the first mount that isn't the base URL's, and the first path that repeats it. Reports each once. */
export class MountCheck {
  private readonly settings: Settings
  private readonly handles: Handles
  private mounted: Check | undefined
  private doubled: Check | undefined
  constructor(settings: Settings, handles: Handles) {
    this.settings = settings
    this.handles = handles
  }

  /** What was found by now. */
  readonly found = (): ReadonlyArray<Check> =>
    [this.mounted, this.doubled].filter((check) => check !== undefined)

  /** Handles a request for one of these paid routes, and reports its mount before. */
  readonly noting = (
    handling: Handling,
    paths: ReadonlyArray<string>,
    { url: { pathname } }: Pick<IncomingRequest, "url">,
    { mount }: Caller = {}
  ): Handling => {
    if (this.mounted !== undefined) return handling
    const differs = mount !== undefined && isPlain(mount)
    if (differs) this.mounted = mountCheckOf(this.settings, mount)
    else if (this.doubled !== undefined) return handling
    else this.doubled = doubledCheckOf(this.settings, { handles: this.handles, paths }, pathname)
    const check = differs ? this.mounted : this.doubled
    if (check === undefined) return handling
    return Effect.andThen(
      report("Warn", "mount_differs", textOf(check), { reason: "baseUrl" }),
      Effect.isEffect(handling) ? handling : Effect.succeed(handling)
    )
  }
}
