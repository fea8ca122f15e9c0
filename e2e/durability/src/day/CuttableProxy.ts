import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A TCP proxy on the loopback interface whose connections can be cut. */
export interface CuttableProxy {
  readonly port: number
  /** Cuts every connection, and refuses new ones for this long. */
  readonly cut: (refusingMillis: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a proxy in front of a port of this machine. */
export const startCuttableProxy = async (targetPort: number): Promise<CuttableProxy> => {
  const sockets = new Set<Socket>()
  let isRefusing = false
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    // A cut connection also reports an error to its other end.
    socket.on("error", () => undefined)
    socket.once("close", () => sockets.delete(socket))
    return socket
  }
  const server = createServer((incoming) => {
    if (isRefusing) return incoming.destroy()
    const outgoing = track(connect(targetPort, "127.0.0.1"))
    track(incoming).once("close", () => outgoing.destroy())
    outgoing.once("close", () => incoming.destroy())
    incoming.pipe(outgoing).pipe(incoming)
  })
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut: async (refusingMillis) => {
      isRefusing = true
      cutAll()
      await new Promise((resolve) => setTimeout(resolve, refusingMillis))
      isRefusing = false
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cutAll()
      })
  }
}

/** The same address through a proxy. */
export const throughProxy = (url: string, { port }: CuttableProxy): string => {
  const proxied = new URL(url)
  proxied.hostname = "127.0.0.1"
  proxied.port = String(port)
  return proxied.href
}
