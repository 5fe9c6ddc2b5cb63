import { extname } from 'node:path'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.otf': 'font/otf',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
}

/** Returns the media type of a file, based on its name. */
export function mediaTypeOf(name: string): string {
  return MEDIA_TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream'
}

/** Returns whether a file is worth compressing. Most images, videos and web fonts are already compressed. */
export function isCompressible(name: string): boolean {
  return /^(?:text\/|application\/(?:json|xml|wasm|manifest)|image\/(?:svg|x-icon)|font\/[ot]tf)/.test(
    mediaTypeOf(name),
  )
}

/**
 * Returns whether a path has a file extension. Page paths may also contain dots, such as `/release/v1.2` and
 * `/users/ada.lovelace`.
 */
export function hasFileExtension(path: string): boolean {
  return /\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,5}$/i.test(path) || extname(path).toLowerCase() in MEDIA_TYPES
}
