import { defineConfig } from '@sdk/cli'

export default defineConfig({ formatError: './src/format-error.ts' })
