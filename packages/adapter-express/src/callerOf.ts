import type { Caller } from "@till402/core"
import type { Request } from "express"

/**
 * The client's address, by the app's `trust proxy`: `true` takes the first of the header, which callers may have written.
 * Without that setting no header counts, so Node need not parse them.
 * A server without an app, such as `connect`, has no setting.
 */
export const callerOf = (request: Omit<Request, "app"> & Partial<Pick<Request, "app">>): Caller => {
  const trust: unknown = request.app?.get("trust proxy")
  return trust
    ? { clientAddress: request.ip, trustsAll: trust === true }
    : { clientAddress: request.socket.remoteAddress }
}
