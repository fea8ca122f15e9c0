import type { TrackResult } from "@till402/core"

/** The fictional carriers of the sample tracker. */
export const carriers = {
  northline: {
    code: 990_001,
    name: "Northline Express",
    homepage: "https://northline.example",
    country: "US"
  },
  landpost: { code: 990_002, name: "Landpost", homepage: "https://landpost.example", country: "DE" },
  harbour: {
    code: 990_003,
    name: "Harbour Parcel",
    homepage: "https://harbourparcel.example",
    country: "GB"
  },
  silkway: {
    code: 990_004,
    name: "Silkway Cross-Border",
    homepage: "https://silkway.example",
    country: "CN"
  },
  ipe: { code: 990_005, name: "Ipê Entregas", homepage: "https://ipe-entregas.example", country: "BR" },
  unknown: { code: null, name: null, homepage: null, country: null }
} as const satisfies Readonly<Record<string, TrackResult["carrier"]>>
