import { nodeEnv } from "../runtime/nodeEnv.ts"
import type { Check } from "./Check.ts"
import { type MoneyFacts, nameOf, risk } from "./moneyFacts.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/*
 * What is wrong with addresses where real money is paid. Pure.
 */

const isThisMachine = (hostname: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname)

/** Whether an address is only reached from this machine or its network. */
export const isLocal = (hostname: string): boolean =>
  isThisMachine(hostname) || /\.(?:test|internal|local)$/.test(hostname)

/** Names that only examples have, by RFC 2606. */
const isOfExamples = (hostname: string): boolean =>
  /(?:^|\.)(?:example|invalid|example\.(?:com|net|org))$/.test(hostname)

/** A name without a point is that of a container beside this one. */
export const isBeside = (hostname: string): boolean =>
  isLocal(hostname) ||
  !/[.:]/.test(hostname) ||
  /^(?:10|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.|^\[f[cd]/.test(hostname)

/** Whether what is sent to an address can be read, and its response be changed, on the way. */
const isOpen = (address: string): boolean => {
  const url = URL.parse(address)
  return url?.protocol === "http:" && !isBeside(url.hostname)
}

/** Addresses that suit a test: those of the service, its facilitators and its nodes. */
export const addressRisks = (
  { facilitators, settings }: MoneyFacts,
  real: ConfiguredSettings["networks"]
): ReadonlyArray<Check | false> => {
  const url = new URL(settings.baseUrl)
  const lacking = (name: string) => real.filter(({ lacks }) => lacks?.includes(name)).map(nameOf)
  const [unread, unpaid] = [lacking("rpcUrl"), lacking("payTo")]
  const openNodes = real.filter(({ rpcUrl }) => rpcUrl !== undefined && isOpen(rpcUrl)).map(nameOf)
  return [
    url.protocol === "http:" &&
      !isLocal(url.hostname) &&
      risk(
        "baseUrl",
        "baseUrl is http, so that payments travel unencrypted, and indexers leave it out",
        "Give https"
      ),
    isOfExamples(url.hostname) &&
      risk(
        "baseUrl",
        `baseUrl ${settings.baseUrl} is of an example: callers and indexes are sent there`,
        "Give the address at which callers reach this server"
      ),
    isThisMachine(url.hostname) &&
      nodeEnv() === "production" &&
      risk(
        "baseUrl",
        `baseUrl ${settings.baseUrl} is only reached from this machine: callers and indexes are sent there`,
        "Give the public address"
      ),
    facilitators.some(isOpen) &&
      risk(
        "facilitator",
        "A facilitator's address is http: what it says of payments can be changed on the way",
        "Give https"
      ),
    unpaid.length > 0 &&
      risk(
        "networks",
        `payTo of ${unpaid.join(", ")} is undefined, as a variable of the environment that isn't set: what is paid there goes to the payTo of all networks`,
        "Set that variable, or leave it out"
      ),
    unread.length > 0 &&
      risk(
        "networks",
        `rpcUrl of ${unread.join(", ")} is undefined, as a variable of the environment that isn't set: payments count once a facilitator reports them, and the chain is not read`,
        "Set that variable, or leave it out"
      ),
    openNodes.length > 0 &&
      risk(
        "networks",
        `rpcUrl of ${openNodes.join(", ")} is http: what it shows of payments can be changed on the way`,
        "Give https"
      )
  ]
}
