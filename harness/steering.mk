# What of the environment steers git, npm, make, Node, Python and the programs that compute and draw. `%` stands for any end of a name. The
# Makefile includes this for what its recipes run, and harness/common/surroundings.js reads it for every child of the harness.

steering := GIT_% npm_% NPM_% NODE_% PYTHON% PIP_TARGET PIP_PREFIX PIP_ROOT PIP_USER PIP_CONSTRAINT PIP_REQUIREMENT PIP_REQUIRE_VIRTUALENV \
  PIP_NO_DEPS PIP_DRY_RUN RUBYOPT RUBYLIB PERL5LIB PERL5OPT AWKPATH AWKLIBPATH POSIXLY_CORRECT GNUTERM GNUPLOT_% FIT_% GDFONTPATH BASH_ENV \
  BASH_FUNC_% SHELLOPTS BASHOPTS ENV CDPATH GLOBIGNORE GREP_OPTIONS GREP_COLORS TAR_OPTIONS GZIP XZ_OPT XZ_DEFAULTS LANGUAGE

# By which an installation finds its registry, and trusts it. (LD_PRELOAD stays too: where it is set, little runs without.)
kept := GIT_SSL_% GIT_PROXY_% GIT_SSH% GIT_ASKPASS NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA NODE_USE_ENV_PROXY NODE_TLS_% NODE_DISABLE_COMPILE_CACHE \
  npm_config_registry npm_config_@% npm_config_//% npm_config__auth% npm_config_ca npm_config_cafile npm_config_cert npm_config_key \
  npm_config_proxy npm_config_http% npm_config_noproxy npm_config_strict_ssl npm_config_userconfig npm_config_globalconfig npm_config_cache \
  npm_config_fetch_% npm_config_maxsockets NPM_CONFIG_REGISTRY NPM_CONFIG_CA NPM_CONFIG_CAFILE NPM_CONFIG_PROXY NPM_CONFIG_HTTP% \
  NPM_CONFIG_NOPROXY NPM_CONFIG_STRICT_SSL NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG NPM_CONFIG_CACHE NPM_CONFIG_FETCH_% NPM_TOKEN

# Make hands these to the makes that it starts
of_make := MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEOVERRIDES MAKELEVEL MAKEFILES MAKE_TERMOUT MAKE_TERMERR
