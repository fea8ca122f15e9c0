import type { ServiceIdentity } from "../../domain/PaymentRequired.ts"
import { option, optional, type OptionsOf } from "./OptionSchema.ts"
import type { TillSettings } from "./TillSettings.ts"

/*
 * How indexes show a service. What they would drop without a word is a fault here.
 * https://github.com/x402-foundation/x402, specification of the extension "bazaar".
 */

const maxLength = 32
const maxTags = 5

const isLabel = (given: unknown): given is string =>
  typeof given === "string" && /^[\x20-\x7e]+$/.test(given) && given.length <= maxLength

const isTags = (given: unknown): boolean =>
  Array.isArray(given) &&
  given.length > 0 &&
  given.length <= maxTags &&
  given.every(isLabel) &&
  new Set(given.map((tag) => tag.toLowerCase())).size === given.length

/** An address that indexes load: by a host name that isn't this machine's, and without a user. */
const isIconUrl = (given: unknown): boolean => {
  const url = typeof given === "string" ? URL.parse(given) : null
  if (url === null || !["http:", "https:"].includes(url.protocol)) return false
  if (url.username !== "" || url.password !== "") return false
  return /[a-z-]/.test(url.hostname) && !/^\[|^localhost(?:\.localdomain)?$|^ip6-/.test(url.hostname)
}

export const serviceFields = {
  serviceName: optional<string>(`text of up to ${maxLength} printable ASCII characters`, isLabel),
  tags: option<ReadonlyArray<string>, ReadonlyArray<string> | undefined>((given, faults) =>
    given === undefined || isTags(given)
      ? (given as ReadonlyArray<string> | undefined)
      : faults.add(
          `must list up to ${maxTags} different tags of up to ${maxLength} printable ASCII characters each, such as ["shopping", "parcels"]`
        )
  ),
  iconUrl: optional<string>("an http(s) address with a public host name and without a user", isIconUrl)
} satisfies OptionsOf<Pick<TillSettings, "serviceName" | "tags" | "iconUrl">>

type Given = { readonly [Name in keyof ServiceIdentity]: ServiceIdentity[Name] | undefined }

/** The service as a 402 names it; `undefined` if the host doesn't. */
export const serviceOf = ({ iconUrl, serviceName, tags }: Given): ServiceIdentity | undefined => {
  const service = {
    ...(serviceName === undefined ? {} : { serviceName }),
    ...(tags === undefined ? {} : { tags }),
    ...(iconUrl === undefined ? {} : { iconUrl })
  }
  return Object.keys(service).length === 0 ? undefined : service
}

/** Bytes that they share in the header of each 402, which proxies bound. */
const maxServiceBytes = 200

/** Names that take too much of a 402's header. */
export const serviceFaults = (given: Given): ReadonlyArray<string> => {
  const service = serviceOf(given)
  // Between the braces.
  const bytes = service === undefined ? 0 : new TextEncoder().encode(JSON.stringify(service)).length - 2
  return bytes <= maxServiceBytes
    ? []
    : [
        `serviceName, tags and iconUrl take ${bytes} bytes of each 402's header: they share ${maxServiceBytes}. Shorten them`
      ]
}
