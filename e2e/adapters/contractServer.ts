import type { AddressInfo } from "node:net"
import type { Till } from "@till402/core"
import { type FrameworkName, pricedHosts } from "./pricedHosts.ts"

/** A till whose `fetch` goes through a server of a framework, over a socket. Disposing of it closes the server. */
export const mountIn = async <T extends Till>(framework: string, till: T): Promise<T> => {
  const host = pricedHosts[framework as FrameworkName]
  const server = host({ till, routes: [], outer: () => ({}) })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...till,
    fetch: (request: Request) => {
      const { pathname, search } = new URL(request.url)
      return fetch(new Request(origin + pathname + search, request), { redirect: "manual" })
    },
    dispose: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await till.dispose()
    }
  }
}
