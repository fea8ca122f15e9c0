import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** What npm sends to publish a package. */
interface Publication {
  readonly name: string
  readonly versions: Readonly<Record<string, object>>
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

/** A package as it was published. */
export interface Published {
  readonly name: string
  readonly version: string
  readonly manifest: Readonly<Record<string, unknown>>
  readonly tarball: Buffer
}

export interface Registry {
  readonly url: string
  readonly published: ReadonlyArray<Published>
  /** Refuses to publish these packages from now on. */
  readonly refuse: (names: ReadonlyArray<string>) => void
  readonly stop: () => Promise<void>
}

/** A registry of packages in memory: as much of npm's as `npm view` and `npm publish` use. */
export const startRegistry = async (): Promise<Registry> => {
  const published: Array<Published> = []
  let refused: ReadonlyArray<string> = []
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname.slice(1))
    const respond = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    }
    if (request.method === "GET") {
      const own = published.filter((one) => one.name === name)
      const versions = Object.fromEntries(own.map((one) => [one.version, one.manifest]))
      if (own.length === 0) respond(404, { error: "not_found" })
      else respond(200, { name, versions, "dist-tags": { latest: own.at(-1)!.version } })
      return
    }
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (request.method !== "PUT" || refused.includes(name)) return respond(403, { error: "refused" })
      const { _attachments, versions } = JSON.parse(Buffer.concat(chunks).toString()) as Publication
      const [[version, manifest] = ["", {}]] = Object.entries(versions)
      const tarball = Buffer.from(Object.values(_attachments)[0]!.data, "base64")
      published.push({ name, version, manifest: manifest as Published["manifest"], tarball })
      respond(201, { ok: true })
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    published,
    refuse: (names) => {
      refused = names
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
