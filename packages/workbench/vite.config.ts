import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Builds the UI into the package, so that nobody builds it at home. */
export default defineConfig({
  root: 'src/ui',
  base: '/_workbench/',
  plugins: [react()],
  build: { outDir: '../../dist/ui', emptyOutDir: true, modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
})
