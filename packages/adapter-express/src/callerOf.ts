import type { Caller } from "@till402/core"
import type { Request } from "express"

/** An address of documents, which is no proxy's (RFC 5737), and as many hops as no host has. */
const [stranger, hops] = ["192.0.2.255", 100]

/**
 * The client's address, by the app's `trust proxy`: one that trusts everybody takes the first of the header, which callers
 * may have written. Without that setting no header counts, so Node need not parse them.
 * A server without an app, such as `connect`, has no setting.
 */
export const callerOf = (request: Omit<Request, "app"> & Partial<Pick<Request, "app">>): Caller => {
  const { app, ip, socket } = request
  return app?.get("trust proxy")
    ? { clientAddress: ip, trustsAll: app.get("trust proxy fn")(stranger, hops) === true }
    : { clientAddress: socket.remoteAddress }
}
