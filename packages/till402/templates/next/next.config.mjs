export default { serverExternalPackages: ["@till402/core", "@till402/sandbox"] }
