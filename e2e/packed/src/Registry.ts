import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { PackedPackage } from "./Packing.ts"
import { root, run } from "./Tool.ts"

/** A registry that has the packed packages. */
export interface Registry {
  readonly url: string
  readonly stop: () => void
}

/** Serves the packed packages as their registry will, and refers to npm's own registry for all others. */
export const startRegistry = async (packages: ReadonlyArray<PackedPackage>): Promise<Registry> => {
  const upstream = (await run("npm", ["config", "get", "registry"], root)).trim()
  const tarballs = new Map(packages.map(({ name, tarball }) => [name, readFileSync(tarball)]))
  const documentOf = ({ manifest, name }: PackedPackage, url: string): object => {
    const integrity = `sha512-${createHash("sha512").update(tarballs.get(name)!).digest("base64")}`
    const dist = { tarball: `${url}${name}/-/${manifest.version}.tgz`, integrity }
    return {
      name,
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } }
    }
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1)
    const [name = "", file] = path.split("/-/")
    const own = packages.find((one) => one.name === name)
    if (own === undefined) {
      // What npm reports besides, such as what it audits, has no answer here.
      const isRead = request.method === "GET"
      response.writeHead(isRead ? 307 : 404, { location: `${upstream}${request.url!.slice(1)}` }).end()
    } else if (file !== undefined) response.end(tarballs.get(name))
    else
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(documentOf(own, url)))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
