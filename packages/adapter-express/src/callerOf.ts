import type { Caller } from "@till402/core"
import type { Request } from "express"

/** Whether an app trusts a proxy, so many hops away. */
type Trusts = (address: string, hop: number) => boolean

/** An address of documents, which is no proxy's (RFC 5737), and as many hops as no host has. */
const [stranger, hops] = ["192.0.2.255", 100]

/** Functions of `trust proxy`, and whether they trust everybody: each is asked once. */
const trusting = new WeakMap<Trusts, boolean>()

const trustsAll = (trusts: Trusts): boolean => {
  let isTrusting = trusting.get(trusts)
  if (isTrusting === undefined) trusting.set(trusts, (isTrusting = trustsStrangers(trusts)))
  return isTrusting
}

/** A function of the host's that throws for strangers doesn't trust them. */
const trustsStrangers = (trusts: Trusts): boolean => {
  try {
    return trusts(stranger, hops)
  } catch {
    return false
  }
}

/**
 * The client's address, by the app's `trust proxy`: one that trusts everybody takes the first of the header, which callers
 * may have written. Without that setting no header counts, so Node need not parse them.
 * A server without an app, such as `connect`, has no setting.
 */
export const callerOf = (request: Omit<Request, "app"> & Partial<Pick<Request, "app">>): Caller => {
  const { app, ip, socket } = request
  return app?.get("trust proxy")
    ? { clientAddress: ip, trustsAll: trustsAll(app.get("trust proxy fn") as Trusts) }
    : { clientAddress: socket.remoteAddress }
}
