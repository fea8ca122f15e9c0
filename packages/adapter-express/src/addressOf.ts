import type { Request } from "express"

/**
 * The client's address, by the app's `trust proxy`. Without that setting no header counts, so Node need not parse them.
 * A server without an app, such as `connect`, has no setting.
 */
export const addressOf = (
  request: Omit<Request, "app"> & Partial<Pick<Request, "app">>
): string | undefined =>
  request.app?.enabled("trust proxy") === true ? request.ip : request.socket.remoteAddress
