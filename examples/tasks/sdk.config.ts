import { defineConfig } from '@sdk/cli'

export default defineConfig({
  webHeaders: {
    // Everything comes from here, so whatever else gets into a page does nothing.
    'content-security-policy':
      "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
  },
})
