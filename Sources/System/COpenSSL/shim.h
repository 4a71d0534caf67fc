#ifndef MATINEE_COPENSSL_SHIM_H
#define MATINEE_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#pragma clang assume_nonnull begin

// What OpenSSL 3 offers as macros or variadic functions only, which Swift does not import.

static inline EVP_PKEY *_Nullable copenssl_generate_p256(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }

static inline EVP_PKEY *_Nullable copenssl_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

static inline long copenssl_bio_bytes(BIO *bio, char *_Nullable *_Nonnull bytes) { return BIO_get_mem_data(bio, bytes); }

// An empty password instead of none, so that an encrypted key fails instead of asking at the terminal.
static inline EVP_PKEY *_Nullable copenssl_read_private_pem(BIO *bio) { return PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)""); }

static inline int copenssl_write_private_pem(BIO *bio, const EVP_PKEY *key) {
  return PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
}

#pragma clang assume_nonnull end

#endif
