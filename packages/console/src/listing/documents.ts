/*
 * The paid routes that a service's documents name, as indexers read them. The command `till402 check` reads the same of a
 * service at an address.
 */

/** A route, with the place that its document names: a path below the base URL, or an address. */
export interface DocumentedRoute {
  readonly method: string
  readonly path: string
}

const methods = ["get", "post", "put", "patch", "delete"]

export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A field of a document, which may be anything. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

/** The operations of an OpenAPI document that may return 402. */
export const ofOpenApi = (text: string): ReadonlyArray<DocumentedRoute> => {
  const paths = fieldOf(readJson(text), "paths")
  if (typeof paths !== "object" || paths === null) return []
  return Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) =>
      fieldOf(fieldOf(fieldOf(operations, method), "responses"), "402") === undefined
        ? []
        : [{ method: method.toUpperCase(), path }]
    )
  )
}

/** The resources of a listing: texts such as `GET /weather`, addresses, or objects with `method` and `url` or `resource`. */
export const ofListing = (text: string): ReadonlyArray<DocumentedRoute> => {
  const resources = fieldOf(readJson(text), "resources")
  return (Array.isArray(resources) ? resources : []).flatMap(
    (each: unknown): ReadonlyArray<DocumentedRoute> => {
      if (typeof each === "string") {
        const [, method = "GET", path] = /^(?:([A-Z]+) )?(\S+)$/.exec(each) ?? []
        return path === undefined ? [] : [{ method, path }]
      }
      const { method = "GET", resource, url = resource } = (each ?? {}) as Readonly<Record<string, unknown>>
      return typeof url === "string" && typeof method === "string" ? [{ method, path: url }] : []
    }
  )
}
