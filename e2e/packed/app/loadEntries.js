const names = {}
for (const specifier of process.argv.slice(2)) names[specifier] = Object.keys(await import(specifier))
process.stdout.write(JSON.stringify(names))
